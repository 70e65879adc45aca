#!/usr/bin/env node
// Runs the API, the worker and Vite beside each other on the dev profile. A changed Rust file is built and both programs
// start again; Vite shows a changed web file by itself. Ctrl-C ends all.
// usage: [WEB_PORT=5173] [BIND_ADDR=127.0.0.1:8080] .ci/dev.mjs
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TARGET = resolve(ROOT, process.env['CARGO_TARGET_DIR'] ?? 'target')
/** `make reset` reads it. */
const RUNNING = join(TARGET, 'running.pid')
/** What the programs are built from. */
const SOURCES = ['platform', 'documents', 'providers', 'shared', 'api', 'worker', 'migrations', 'Cargo.toml', 'Cargo.lock', '.cargo']
const PROGRAMS = ['api', 'worker']
/** Pause between two looks at the sources. */
const POLL_MS = 500
/** Editors and git write many files at once. */
const SETTLE_MS = 150
/** A program that has not ended by then is killed. */
const STOP_MS = 4000
/** How long a start may take before the line that it is up is left out. */
const START_MS = 60_000

const webPort = process.env['WEB_PORT'] ?? '5173'
const apiAddress = process.env['BIND_ADDR'] ?? '127.0.0.1:8080'
const environment = { ...process.env, BIND_ADDR: apiAddress }
// BIND_ADDR says it here, and the browser's address is Vite's.
delete environment['PORT']
environment['PUBLIC_URL'] ??= `http://localhost:${webPort}`

const running = new Map()
let isEnding = false

const say = (line) => console.log(`== ${line}`)
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Starts a process that is stopped with the others. */
function start(name, command, words, options = {}) {
  const child = spawn(command, words, { cwd: ROOT, env: environment, stdio: ['ignore', 'inherit', 'inherit'], ...options })
  const ended = new Promise((done) => {
    child.on('error', (error) => {
      console.error(`${name}: ${error.message}`)
      done(1)
    })
    child.on('exit', (code, signal) => done(code ?? signal))
  })
  const entry = { child, ended }
  running.set(name, entry)
  void ended.then(() => running.get(name) === entry && running.delete(name))
  return entry
}

async function stop(name) {
  const entry = running.get(name)
  if (entry === undefined) return
  entry.isStopping = true
  entry.child.kill('SIGTERM')
  const late = setTimeout(() => entry.child.kill('SIGKILL'), STOP_MS)
  await entry.ended
  clearTimeout(late)
}

async function end(status) {
  if (isEnding) return
  isEnding = true
  await Promise.all([...running.keys()].map(stop))
  rmSync(RUNNING, { force: true })
  process.exit(status)
}

/** Names and times of all files below a path, in one text. */
function listFiles(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return ''
  if (!found.isDirectory()) return `${path} ${found.mtimeMs}\n`
  return listNames(path).map((name) => listFiles(join(path, name))).join('')
}

/** Without the files that editors write beside their own, and empty where git has just removed the folder. */
function listNames(folder) {
  try {
    return readdirSync(folder).filter((name) => !/^\.|~$|^4913$|^target$/.test(name))
  } catch {
    return []
  }
}

const readSources = () => SOURCES.map((name) => listFiles(join(ROOT, name))).join('')

async function build() {
  const { ended } = start('cargo', 'cargo', ['build', '-p', 'api', '-p', 'worker'])
  return (await ended) === 0
}

const programPath = (name) => join(TARGET, 'debug', name)
const builtAt = (name) => statSync(programPath(name), { throwIfNoEntry: false })?.mtimeMs
const startedFrom = new Map()

/** Starts those anew that were built anew, or that have ended. Returns whether there was one. */
async function restart() {
  const stale = PROGRAMS.filter((name) => !running.has(name) || startedFrom.get(name) !== builtAt(name))
  await Promise.all(stale.map(stop))
  for (const name of stale) {
    if (isEnding) break
    startedFrom.set(name, builtAt(name))
    const entry = start(name, programPath(name), [])
    void entry.ended.then((status) => {
      if (!isEnding && !entry.isStopping) say(`the ${name} ended (${status}); it starts again after the next change`)
    })
  }
  return stale.length > 0
}

/** Whether the API answers before it ends and in time. */
async function isUp() {
  const began = performance.now()
  while (!isEnding && running.has('api') && performance.now() - began < START_MS) {
    const answer = await fetch(`http://${apiAddress}/readyz`).catch(() => undefined)
    if (answer?.ok) return true
    await sleep(100)
  }
  return false
}

function startVite() {
  const folder = join(ROOT, 'web')
  const tools = join(folder, 'node_modules', '.bin')
  const env = { ...environment, PATH: `${tools}${delimiter}${environment['PATH'] ?? ''}`, API_ORIGIN: `http://${apiAddress}` }
  const { ended } = start('vite', join(tools, 'vite'), ['--port', webPort, '--strictPort'], { cwd: folder, env })
  void ended.then((status) => {
    if (isEnding) return
    console.error(`Vite ended (${status}); ending the rest.`)
    void end(1)
  })
}

function sayHowToGoOn() {
  const url = environment['PUBLIC_URL']
  say(`the app with hot reload: ${url}   the API: http://${apiAddress}   Ctrl-C ends all`)
  say(`register: ${url}/register   demonstration: ${url}/demo   mail: ${environment['DATA_DIR'] ?? 'var'}/mail`)
}

async function watch() {
  let built
  let isFirst = true
  while (!isEnding) {
    const sources = readSources()
    if (sources !== built) {
      await sleep(SETTLE_MS)
      if (readSources() !== sources) continue
      built = sources
      const began = performance.now()
      if (isFirst) say('building the API and the worker: every package the first time, later what changed')
      if (await build()) {
        if ((await restart()) && (await isUp())) {
          if (isFirst) sayHowToGoOn()
          else say(`the API is up again, ${seconds(began)} after the change`)
          isFirst = false
        }
      } else if (!isEnding) say('not built; the programs stay as they are until the next change')
    }
    await sleep(POLL_MS)
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0))
if (!/:\d+$/.test(apiAddress)) {
  console.error('BIND_ADDR must have a port here: BIND_ADDR=127.0.0.1:8080 make dev')
  process.exit(2)
}
if (await fetch(`http://${apiAddress}/healthz`).catch(() => undefined)) {
  console.error(`Another program answers at http://${apiAddress}. Stop it, or say BIND_ADDR=127.0.0.1:8081 make dev`)
  process.exit(1)
}
mkdirSync(TARGET, { recursive: true })
writeFileSync(RUNNING, `${process.pid}\n`)
startVite()
await watch()
