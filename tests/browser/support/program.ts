// A real program as a child process: started, watched, and stopped with its exit code checked.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'

export const REPOSITORY = resolve(__dirname, '../../..')

/** Longer than the programs may take to finish what they are doing. */
const STOP_TIMEOUT_MS = 25_000
const MAX_OUTPUT_LENGTH = 4000

type Environment = Readonly<Record<string, string>>

export class Program {
  private readonly process: ChildProcess
  private readonly gone: Promise<unknown>
  /** All that it printed is here: that may be later than its end. */
  private readonly read: Promise<unknown>
  private output = ''
  private printed = ''

  constructor(
    private readonly path: string,
    args: readonly string[],
    environment: Environment,
  ) {
    // Nothing of the environment around the tests may set a provider up.
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' }
    this.process = spawn(path, args, {
      cwd: REPOSITORY,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.gone = once(this.process, 'exit')
    this.read = once(this.process, 'close')
    this.process.stderr?.on(
      'data',
      (chunk: Buffer) => (this.output = `${this.output}${chunk.toString()}`.slice(-MAX_OUTPUT_LENGTH)),
    )
    this.process.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()))
  }

  /** The first match in what it printed, as soon as it is there. */
  async line(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + STOP_TIMEOUT_MS
    for (;;) {
      const found = pattern.exec(this.printed)?.[1]
      if (found !== undefined) return found
      if (Date.now() > deadline) throw this.fault(`never printed ${pattern}`)
      this.mustRun()
      await pause(20)
    }
  }

  /** Throws, with its last output, once it has ended by itself. */
  mustRun(): void {
    const { exitCode, signalCode } = this.process
    if (exitCode !== null || signalCode !== null) throw this.fault(`ended by itself (${exitCode ?? signalCode})`)
  }

  /** Asks it to stop; an end that is not clean is an error. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<void> {
    this.mustRun()
    this.process.kill(signal)
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.gone
    clearTimeout(timer)
    const { exitCode, signalCode } = this.process
    if (exitCode !== 0) throw this.fault(`did not stop cleanly (${exitCode ?? signalCode})`)
  }

  /** Waits for its end and returns its output; an exit code other than 0 is an error. */
  async finish(): Promise<string> {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.read
    clearTimeout(timer)
    if (this.process.exitCode !== 0) throw this.fault(`failed (${this.process.exitCode ?? this.process.signalCode})`)
    return this.printed
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.gone
  }

  private fault(what: string): Error {
    return new Error(`${this.path} ${what}\n${this.output}`)
  }
}

/** A free port. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port could be had')
  server.close()
  await once(server, 'close')
  return address.port
}

/** For processes outside the browser only; in the browser, assertions wait by themselves. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds))
}
