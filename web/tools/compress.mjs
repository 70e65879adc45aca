// After the build: takes the chunk list out of what is served, and writes .br and .gz beside every compressible file.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const web = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(web, 'dist')
const build = join(web, '.build')
const COMPRESSIBLE = new Set(['.js', '.css', '.html', '.svg', '.json', '.webmanifest', '.txt'])

mkdirSync(build, { recursive: true })
renameSync(join(dist, '.vite', 'manifest.json'), join(build, 'chunks.json'))
rmSync(join(dist, '.vite'), { recursive: true })

let count = 0
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (!entry.isFile() || !COMPRESSIBLE.has(extname(path))) continue
  const plain = readFileSync(path)
  const brotli = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  })
  const gzip = gzipSync(plain, { level: 9 })
  // A file that does not shrink is served as it is.
  if (brotli.length < plain.length) writeFileSync(`${path}.br`, brotli)
  if (gzip.length < plain.length) writeFileSync(`${path}.gz`, gzip)
  count += 1
}
console.log(`compressed ${count} files`)
