/** What a click on a code lens of the server does: list places. */

import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient/node';
import type { Server } from '../server/server';

/** Show places as VS Code shows references; a single one is opened. */
export async function showLocations(server: Server, uri: string, at: Position, places: Location[]): Promise<void> {
  const client = server.connected;
  if (!client) {
    return;
  }
  const convert = client.protocol2CodeConverter;
  const [only] = places;
  if (only && places.length === 1) {
    await vscode.window.showTextDocument(convert.asUri(only.uri), { selection: convert.asRange(only.range) });
    return;
  }
  const locations = places.map((place) => convert.asLocation(place));
  await vscode.commands.executeCommand(
    'editor.action.showReferences', convert.asUri(uri), convert.asPosition(at), locations,
  );
}
