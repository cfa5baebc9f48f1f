// Ending the memory server that a workbench of ours runs, and no other.
import fs from 'node:fs';

const parent = (pid) => {
  try { return Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0); } catch { return 0; }
};

function isBelow(pid, ancestor) {
  for (let each = pid; each > 1; each = parent(each)) if (each === ancestor) return true;
  return false;
}

/** Kill the server processes with this executable that descend from `ancestor`; throws where there is none. */
export function killServer(executable, ancestor) {
  const found = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.includes(executable) && words.includes('--stdio') && isBelow(pid, ancestor);
    } catch { return false; }
  });
  if (!found.length) throw new Error('the memory server does not run');
  for (const pid of found) process.kill(pid, 'SIGKILL');
}
