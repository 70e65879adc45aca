// A step of the build: takes the smaller of the builds that a package brings where its exports name the larger one.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const require = createRequire(import.meta.url)

/** A file below the folder of a package. */
const fileOf = (name: string, file: string) => join(dirname(require.resolve(`${name}/package.json`)), file)

const packages = {
  // Its exports name the build with warnings for developers.
  'react-router': ['react-router', 'dist/production/index.mjs'],
  'react-router/dom': ['react-router', 'dist/production/dom-export.mjs'],
  // Its exports name the build for browsers without classes and promises.
  'workbox-window': ['workbox-window', 'build/workbox-window.prod.mjs'],
} as const

/** Names for developers' tools, which keep components that nobody uses. */
const DEBUG_NAME = /^\w+\.displayName = "[\w. ]+";$/gm
/** Calls without an effect that the package does not mark as such. */
const UNMARKED = /= (React\d*\.(?:createContext|forwardRef)\()/g
/** What a link fetches ahead of a route of the package's own framework: the condition before it never holds here. */
const PREFETCHED = /(?:\/\* @__PURE__ \*\/ )?React\d*\.createElement\(PrefetchPageLinks, \{ page: href \}\)/

/** Lets the build leave out the forms, the scroll restoration and the fetchers of a package that is one file. */
export function dropUnusedComponents(code: string): string {
  return code.replace(DEBUG_NAME, '').replace(UNMARKED, '= /* @__PURE__ */ $1').replace(PREFETCHED, 'null')
}

/** In the build only: the tests and the development server keep the warnings. */
export function leanPackages(): Plugin {
  return {
    name: 'lean-packages',
    apply: 'build',
    config: () => ({
      resolve: {
        alias: Object.entries(packages).map(([name, [owner, file]]) => ({
          find: new RegExp(`^${name}$`),
          replacement: fileOf(owner, file),
        })),
      },
    }),
    transform: {
      filter: { id: /[\\/]react-router[\\/]dist[\\/]production[\\/]/ },
      handler: (code) => ({ code: dropUnusedComponents(code), map: null }),
    },
  }
}
