/** Tests that run inside the extension host of a real VS Code, in a workspace of two folders. */

import Mocha from 'mocha';

/** Called by VS Code; rejects where a test fails. */
export function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 40_000, reporter: 'min' });
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha);
  // The globals of mocha must be there before the tests are read.
  require('./journey');
  return new Promise((resolve, reject) => {
    const begun = Date.now();
    const seconds = () => ((Date.now() - begun) / 1000).toFixed(1);
    mocha
      .run((failures) => (failures ? reject(new Error(`${failures} failed`)) : resolve()))
      .on('pass', (test) => console.log(`CHECK ok ${test.title} (${seconds()} s)`))
      .on('fail', (test, error: Error) => {
        console.log(`CHECK not ok ${test.title} (${seconds()} s): ${error.message.replace(/\s+/g, ' ').slice(0, 300)}`);
      });
  });
}
