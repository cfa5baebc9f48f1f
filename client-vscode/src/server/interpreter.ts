/** The interpreter that the user selected in the Python extension, where that is installed. */

import * as vscode from 'vscode';

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** Return the interpreter's path, undefined where there is no Python extension or nothing is selected. */
export async function selectedInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const api = await pythonApi();
  if (!api) {
    return undefined;
  }
  const selected = api.environments.getActiveEnvironmentPath(resource);
  const environment = await api.environments.resolveEnvironment(selected);
  return environment?.executable.uri?.fsPath;
}

/** Call back when another interpreter is selected. */
export async function onInterpreterChange(callback: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(callback);
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi>>('ms-python.python');
  if (!extension) {
    return undefined;
  }
  try {
    const api = await extension.activate();
    return api?.environments ? (api as PythonApi) : undefined;
  } catch {
    // A broken Python extension must not keep the other ways of finding the server from being tried.
    return undefined;
  }
}
