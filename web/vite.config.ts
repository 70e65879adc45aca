/// <reference types="vitest/config" />
// How the app is built: chunks, service worker, web manifest, and the unit tests' set-up.
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { leanImportLists } from './tools/import-lists.ts'
import { leanPackages } from './tools/lean-packages.ts'
import { preloadScreens, START } from './tools/preload-screens.ts'

/** What the API serves itself. A key that begins with ^ is a pattern, any other a beginning. */
const API_PATHS = [
  '/api',
  '/healthz',
  '/readyz',
  '/faq',
  '/privacy',
  '/terms',
  '/sms-terms',
  '/docs/api',
  '/p-assets/',
  '^/(p|r|f|book|feeds|webhooks)/',
]
const apiOrigin = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:8080'

const inRoot = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const loginScreen = '/features/auth/login.route.tsx'
/** What the form of a business shows besides the form. */
const businessPage = ['/features/customer-page/business-header.tsx']
const quoteScreens = ['/features/quote-request/quote-request.route.tsx', ...businessPage]
/** Where the work begins. Who meets the app at / is signed in: others get the public site there. */
const dashboard = ['/app/staff-routes.tsx', '/features/dashboard/dashboard.route.tsx']

/** What people open first, often on a slow phone. */
const firstScreens = {
  '/': dashboard,
  '/login': [loginScreen],
  '/register': ['/features/auth/register.route.tsx'],
  '/lead': ['/features/lead-intake/lead-form.route.tsx', ...businessPage, '/features/customer-page/next-steps.tsx'],
  '/quote': quoteScreens,
  '/quote-request': quoteScreens,
  '/checkout': ['/features/checkout/checkout.route.tsx'],
  '/demo': ['/app/demo/demo.route.tsx', '/features/dashboard/dashboard.route.tsx'],
  '/app': dashboard,
}

/** Modules whose path below src begins so; a slash is either system's. */
function inSource(beginnings: readonly string[]): RegExp {
  return new RegExp(`src/(${beginnings.join('|')})`.replaceAll('/', '[\\\\/]'))
}

/**
 * What is only of use with a connection is not fetched ahead to every device: it comes when it is opened. What opens a
 * dialog of these is off without one.
 */
const ONLINE_ONLY = inSource([
  'api/demo-guard',
  'app/demo/',
  'app/shells/quick-access/',
  'features/review-request/(?!messages)',
  'features/auth/(confirm|register|new-password|join|forgot-password|reset-password|reject-email|next-step|reauth-dialog|sign-in-blocked)',
  'features/(account|admin|billing|checkout)/',
  'features/two-factor/',
  // Search and adding by hand ask the server.
  'features/(command-palette|quick-add)/',
  'features/settings/(?!queries\\.)',
  'features/number-setup/',
  'features/(trust|subscription)/',
  'features/session/export-data-button',
  'features/contact-points/unused-address',
  'features/own-phone/(own-phone-offer|mutations|texts-off-line)',
  // Writing, sending and paying documents needs a connection; reading them does not.
  'features/leads/(filters/|reminder/|estimate/(columns/|use-estimate-totals|estimate-(dialog|lines|send-button|totals|values))|money/payment-dialog|components/(history-tab|lead-history-card|inquiries-card|notices-card|decisions-card|lead-message-item))',
  'features/invoices/(actions/[a-z-]+-dialog|schema)',
  'features/documents/(mail-toast|line-|option-|document-totals|percent-or-amount|price-(line|picker)|messages|queries|schema|use-(debounced-request|reorder|tax)|channel-fields)',
  'features/documents/estimate/([a-z]+-dialog|version-notice|estimate-terms|preview-button|(send-)?schema|values)',
  'features/ledger/(refund-dialog|settle-dialog|schema)',
  'ui/(amount-field|choice-field|csv-import|list-field|number-field|qr-code|switch-field|toast/demo-refusal)',
  'lib/(csv|settings-topics)\\.',
  'features/people/(?!queries\\.)',
  // The form itself starts without a connection.
  'features/(customer-page/|quote-request/components/quote-received)',
  'features/recovered/',
  'features/inbox/components/((conversation|decision|schedule-message)-sheet|snooze-options)',
  'features/dashboard/(components/(figure-panels|past-due-panel|performance-panel|reviews-panel|time-saved-panel|trends-)|lib/(trends|use-visible-and-idle)\\.)',
  'features/guided-start/(?!queries\\.)',
  'features/customers/(actions/(find|import|merge)|components/(privacy-card|other-records)|lib/merge)',
  'features/crew/components/(crew-calendars|push-alerts-card)',
  'features/reviews/(actions|requests|report|lib|schema|components)',
  'features/jobs/(changes/|crews/|costs/(cost-dialog|schema)\\.|actions/edit-dialog|components/(add-job-dialog|job-form-fields|lead-picker|timeline-card|automation-card)|lib/job-request|schema\\.|schedule-lead)',
])

/** Small modules that only signed-in screens share: one request instead of many before the dashboard stands. */
const DESK = new RegExp(
  `infiniteQueryO(bserver|ptions)|use(Prefetch)?InfiniteQuery|${
    inSource([
      // What the public screens do without.
      'domain/(customer|delivery-outlook|drilldown|invoice|job|payment|trust|use-drilldown)\\.',
      'lib/(next-cursor|list-total|live-state|download)\\.',
      'lib/format/zone-time\\.',
      'lib/hooks/use-(now|media-query|is-before|debounced|online-chunk)\\.',
      'ui/(status-line|stage-badge|table|badge|copy-field|scroll-area)\\.',
      'features/inbox/(queries|lib/describe-wait)\\.',
      'features/people/queries\\.',
      'features/guided-start/queries\\.',
      'features/leads/(messages|queries)\\.',
      'api/resend-message\\.',
      'features/jobs/(components/job-badges|lib/labels|queries)\\.',
      'features/schedule/queries\\.',
      'features/worklist/(queries|lib/(pending-marks|use-waiting-count|work-list-cache))\\.',
    ]).source
  }`,
)

/**
 * The one chart brings recharts along, as heavy as the rest of the app: it is fetched where it is shown, and its
 * figures are there without it.
 */
const CHART = /src[\\/]features[\\/]dashboard[\\/]chart[\\/]/

type Chunk = { isDynamicEntry: boolean; facadeModuleId?: string | null; moduleIds: readonly string[] }

/** Texts of a language: fetched by those who read it, and kept by the service worker from then on (src/sw/texts.ts). */
const TEXTS = /src[\\/]locales[\\/]/

const isOnlineOnly = (id: string) => ONLINE_ONLY.test(id) || CHART.test(id)

/**
 * What is opened by itself is told by its first module, what others share by all that is in it: in a folder of its own
 * where it is of use only with a connection. The budget fails where a chunk that starts without one leans on it.
 */
function placeOf({ isDynamicEntry, facadeModuleId, moduleIds }: Chunk): string {
  if (moduleIds.length > 0 && moduleIds.every((id) => TEXTS.test(id))) return 'assets/locales/[name]-[hash].js'
  const isOnline =
    moduleIds.every(isOnlineOnly) ||
    (isDynamicEntry && typeof facadeModuleId === 'string' && isOnlineOnly(facadeModuleId))
  return isOnline ? 'assets/online/[name]-[hash].js' : 'assets/[name]-[hash].js'
}

const importLists = leanImportLists('/app/staff-routes.tsx')

const webManifest = {
  // Fixed for ever: a changed id is another app to the phone.
  id: '/app',
  start_url: '/app?source=pwa',
  scope: '/',
  name: 'Toolbox',
  short_name: 'Toolbox',
  description: 'Your hands-free front office: every request for work answered within seconds.',
  lang: 'en-US',
  dir: 'ltr' as const,
  display: 'standalone' as const,
  orientation: 'any' as const,
  background_color: '#070b14',
  theme_color: '#070b14',
  categories: ['business', 'productivity'],
  icons: [
    { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/icons/icon-monochrome-512.png', sizes: '512x512', type: 'image/png', purpose: 'monochrome' },
  ],
  // A number or contact from the phone's share sheet opens "Add a call". The service worker answers the address, and the
  // page takes the words out of it at once (app/shells/quick-access/use-shared-call.ts).
  share_target: {
    action: '/app/leads',
    method: 'GET' as const,
    enctype: 'application/x-www-form-urlencoded' as const,
    params: { title: 'shareTitle', text: 'shareText', url: 'shareUrl' },
  },
  shortcuts: [
    {
      name: "Today's jobs",
      url: '/app/today',
      icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }],
    },
    { name: 'Leads', url: '/app/leads', icons: [{ src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }] },
  ],
}

export default defineConfig({
  resolve: { alias: { '@': inRoot('./src') } },
  server: {
    proxy: Object.fromEntries(API_PATHS.map((path) => [path, apiOrigin])),
  },
  build: {
    target: 'baseline-widely-available',
    // tools/compress.mjs moves it out of dist: it lists every chunk and is nobody's business.
    manifest: true,
    // One stylesheet, which no list of what an import fetches along need name.
    cssCodeSplit: false,
    modulePreload: {
      // Where a browser does not know it, files are preloaded as any other.
      polyfill: false,
      resolveDependencies: importLists.resolveDependencies,
    },
    rolldownOptions: {
      // The page loads the texts first and then starts the app by an import: an entry too, so that the build knows what
      // belongs to the start.
      input: { index: inRoot('./index.html'), start: inRoot(`.${START}`) },
      output: {
        chunkFileNames: placeOf,
        codeSplitting: {
          // What a group's modules import stays where it is: the start-up code must not pull a screen's in.
          includeDependenciesRecursively: false,
          groups: [
            // What runs before the texts are there: no module in it may read one.
            {
              name: 'boot',
              test: /node_modules[\\/]@(lingui|messageformat)[\\/]|vite[\\/]preload-helper|src[\\/]lib[\\/](demo|storage|i18n[\\/](index|language|load-texts|shown-language))\./,
            },
            // What the start needs, and nothing that it does without.
            {
              name: 'start',
              tags: ['$initial'],
              test: /src[\\/](?!main\.)|node_modules[\\/](@tanstack|openapi-fetch)/,
            },
            // What only the forms of a business share.
            { name: 'public-form', test: inSource(['features/public-form/(?!(persist-)?draft)']) },
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler|react-router|react-router-dom)[\\/]/ },
            {
              name: 'forms',
              test: /node_modules[\\/](react-hook-form|@hookform|zod|@standard-schema)[\\/]|src[\\/]ui[\\/](field|field-status|form|checkbox-field)\.|src[\\/]features[\\/]public-form[\\/]/,
            },
            // Small things of many screens: one request for all of them instead of one for each.
            {
              name: 'common',
              test: /query-core[\\/].*mutationObserver|useMutation|src[\\/](domain[\\/](lead|quote|org|query-keys)\.|ui[\\/](breakable-address|card|notice|skeleton)\.|lib[\\/](site\.|submission-key\.|format[\\/](?!zone-time)|hooks[\\/]use-document-title))/,
            },
            // What waits for an answer, on both sides of the sign-in: the forms do without it.
            { name: 'boundary', test: inSource(['ui/query-boundary\\.', 'lib/hooks/use-online\\.']) },
            // Small things that the screens of one kind share: a file for each would have its name in every list.
            {
              name: 'parts',
              test: inSource([
                'features/documents/(channel|delivery)-text\\.',
                'lib/parse-money\\.',
                'ui/(description-list|disclosure|search-box|tabs)\\.',
              ]),
            },
            {
              name: 'screen-parts',
              test: inSource([
                'lib/(edge-scroll|hooks/use-(page-action|search-text))\\.',
                'ui/(chart/share-bar|chip-choice|export-button-pair|filter-banner)\\.',
              ]),
            },
            {
              name: 'auth-parts',
              test: inSource(['features/auth/(auth-card|auth-pitch|messages|mutations|reset-link-sent|schema)\\.']),
            },
            { name: 'sign-in-parts', test: inSource(['lib/passkeys\\.', 'ui/password-field\\.']) },
            {
              name: 'job-parts',
              test: inSource([
                'features/jobs/(messages|mutations|actions/crew-select|components/undo-bar|lib/(file-rules|map-href))\\.',
              ]),
            },
            {
              name: 'invoice-parts',
              test: inSource([
                'features/invoices/(messages|mutations|queries|components/invoice-badges|lib/due-date-text)\\.',
              ]),
            },
            {
              name: 'contact-parts',
              test: inSource(['features/contact-points/(contact-point|messages|mutations|other-owner)\\.']),
            },
            {
              name: 'lead-parts',
              test: inSource([
                'features/leads/(mutations|lib/(alert-groups|response-promise)|components/(alert-group-row|lead-badges|mark-seen-button|open-alerts?|response-promise-badge))\\.',
              ]),
            },
            { name: 'customer-parts', test: inSource(['features/customers/(messages|queries)\\.']) },
            {
              name: 'record-parts',
              test: inSource(['features/(contact-points/proposals-notice|erasure/)']),
            },
            { name: 'push', test: inSource(['pwa/(device-label|push-subscription)\\.']) },
            // What the app and the registration of the service worker share.
            { name: 'worker', test: inSource(['offline/(keep-shown-texts|text-cache)\\.', 'pwa/update-state\\.']) },
            {
              name: 'outbox',
              test: inSource([
                'offline/outbox/(entry|flush|names|outbox|outbox-memory|outbox-store|send|use-outbox)\\.',
              ]),
            },
            { name: 'queue', test: inSource(['offline/outbox/(queue-command|queued-line|texts|use-outbox-sync)\\.']) },
            { name: 'crew-parts', test: inSource(['features/crew/(messages|queries)\\.']) },
            // The same for what only signed-in people's screens share.
            { name: 'desk', test: DESK },
          ],
        },
      },
    },
  },
  plugins: [
    react(),
    tailwindcss(),
    leanPackages(),
    importLists.plugin,
    preloadScreens(firstScreens),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/sw',
      filename: 'sw.ts',
      registerType: 'prompt',
      injectRegister: false,
      includeManifestIcons: false,
      manifest: webManifest,
      injectManifest: {
        rollupFormat: 'iife',
        globIgnores: ['assets/online/**', 'assets/locales/**'],
        globPatterns: ['**/*.{js,css,html,svg,woff2}', 'icons/icon-192.png'],
        maximumFileSizeToCacheInBytes: 600 * 1024,
      },
    }),
  ],
  test: {
    environment: 'jsdom',
    // One jsdom to each worker instead of one to each file.
    pool: 'vmThreads',
    setupFiles: ['src/testing/setup.ts'],
    // Several times the wait for one thing (src/testing/setup.ts): a failed test says what was missing, not that time
    // was up, even on a machine that stalls.
    testTimeout: 60_000,
    // Hooks load the screens of a file.
    hookTimeout: 60_000,
    include: ['src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
    restoreMocks: true,
    unstubGlobals: true,
  },
})
