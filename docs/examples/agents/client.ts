// Ask memory-lsp which notes belong in the next prompt: node client.ts FOLDER QUERY (Node 23.6 or newer runs TypeScript)
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

type Note = { name: string; type: string; description: string; content: string }
type Answer = { results: Note[]; isIncomplete: boolean }

const [folder, query] = process.argv.slice(2)
const server = spawn(process.env.MEMORY_LSP ?? 'memory-lsp', ['--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map<number, (result: any) => void>()
let input = Buffer.alloc(0)

server.stdout.on('data', (chunk: Buffer) => {
  input = Buffer.concat([input, chunk])
  for (let end; (end = input.indexOf('\r\n\r\n') + 4) > 3; ) {
    const length = Number(/\d+/.exec(input.toString('utf8', 0, end))![0])
    if (input.length < end + length) return
    const message = JSON.parse(input.toString('utf8', end, end + length))
    input = input.subarray(end + length)
    if (!message.method) waiting.get(message.id)?.(message.result) // else it says something on its own
  }
})

function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function request<T>(method: string, params: unknown): Promise<T> {
  const id = waiting.size
  send({ id, method, params })
  return new Promise((done) => waiting.set(id, done))
}

await request('initialize', { processId: process.pid, capabilities: {}, rootUri: pathToFileURL(resolve(folder)).href })
send({ method: 'initialized', params: {} })
const ask = () => request<Answer>('memory/retrieve', { query, limit: 5, includeContent: true })
let answer = await ask()
for (let tries = 0; answer.isIncomplete && tries < 60; tries++) {
  await sleep(500) // the first answers may come before the model is loaded
  answer = await ask()
}
const notes = answer.results.map((note) => `## ${note.name} (${note.type})\n${note.description}\n\n${note.content}\n`)
console.log(['<memory>', ...notes, '</memory>'].join('\n'))
await request('shutdown', null)
send({ method: 'exit' })
