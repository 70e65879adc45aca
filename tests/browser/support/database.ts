// Direct writes to the database file of an install: to shorten waits of a quarter of an hour, and
// to simulate tampering with the file.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Install } from './install'

const FILE = 'toolbox.db'
/** The programs write to it too; as long as that they wait for each other. */
const BUSY_TIMEOUT_MS = 10_000

type Writer = (file: string, sql: string) => Promise<void>

/** What this machine has to open the file with: newer Nodes bring it along, elsewhere there may be the program. */
async function findWriter(): Promise<Writer | undefined> {
  try {
    const { DatabaseSync } = await import('node:sqlite')
    return async (file, sql) => {
      const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
      database.exec(sql)
      database.close()
    }
  } catch {
    const run = promisify(execFile)
    const write: Writer = async (file, sql) =>
      void (await run('sqlite3', ['-bail', '-cmd', `.timeout ${BUSY_TIMEOUT_MS}`, file, sql]))
    return write(':memory:', 'SELECT 1').then(
      () => write,
      () => undefined,
    )
  }
}

const writer = findWriter()

/** Whether `writeDatabase` works on this machine. */
export const canWriteDatabase = async (): Promise<boolean> => (await writer) !== undefined

/** Runs SQL on the file itself. */
export async function writeDatabase(install: Install, sql: string): Promise<void> {
  const write = await writer
  if (!write) throw new Error('neither this Node nor a program called sqlite3 opens the database')
  await write(join(install.dataDir, FILE), sql)
}

/** A text in SQL. */
export const sqlQuote = (text: string): string => `'${text.replaceAll("'", "''")}'`
