// An install: the API and the worker on an embedded database in a directory of their own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, pause, Program, REPOSITORY } from './program'

const API = process.env['API_BIN'] ?? join(REPOSITORY, 'target/debug/api')
const WORKER = process.env['WORKER_BIN'] ?? join(REPOSITORY, 'target/debug/worker')
const READY_TIMEOUT_MS = 30_000

export type Variables = Readonly<Record<string, string>>

const noop = () => Promise.resolve()

export class Install {
  private api: Program | undefined
  private worker: Program | undefined

  private constructor(
    readonly url: string,
    readonly dataDir: string,
    private readonly variables: Variables,
  ) {}

  /**
   * Starts both programs; `extra` are the variables of a provider that is set up, or `DEMO: 'on'`: while one is seeded,
   * registration waits. `furnish` is done before they start.
   */
  static async start(extra: Variables = {}, furnish: (install: Install) => Promise<unknown> = noop): Promise<Install> {
    const port = await findFreePort()
    const dataDir = await mkdtemp(join(tmpdir(), 'toolbox-browser-'))
    const url = `http://localhost:${port}`
    const own = {
      PUBLIC_URL: url,
      BIND_ADDR: `127.0.0.1:${port}`,
      DATA_DIR: dataDir,
      DEMO: 'off',
      REGISTRATION: 'open',
      RUST_LOG: 'info,sqlx=warn',
    }
    const install = new Install(url, dataDir, { ...own, ...extra })
    await furnish(install)
    await install.startApi()
    install.worker = new Program(WORKER, [], install.variables)
    return install
  }

  /** Starts the API and waits until it says that it is ready. */
  async startApi(): Promise<void> {
    this.api = new Program(API, ['serve'], this.variables)
    const deadline = Date.now() + READY_TIMEOUT_MS
    while (!(await this.isReady())) {
      this.api.mustRun()
      if (Date.now() > deadline) throw new Error(`${this.url}/readyz does not say that the API is ready`)
      await pause(50)
    }
  }

  /** Runs the operator command `api <words>`; returns its output. */
  command(...words: readonly string[]): Promise<string> {
    return new Program(API, words, this.variables).finish()
  }

  /** The API is gone from one moment to the next. */
  async killApi(): Promise<void> {
    await this.api?.kill()
    this.api = undefined
  }

  /** Both programs must end cleanly when asked to. */
  async stop(): Promise<void> {
    // One that fails to stop must not keep the other running.
    const ends = await Promise.allSettled([this.worker?.stop(), this.api?.stop()])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    await rm(this.dataDir, { recursive: true })
  }

  private async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/readyz`)
      return answer.ok
    } catch {
      return false
    }
  }
}
