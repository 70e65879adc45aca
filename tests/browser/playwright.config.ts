// How the browser stories run: the installed Chromium, a phone and a desktop, against the real programs.
import { defineConfig, devices } from '@playwright/test'

/** Options for Debian's Chromium as root, without requests to outside services. */
const CHROMIUM = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

/** Pictures are drawn when they are asked for. */
const IGNORED_TESTS = [
  ...(process.env['UPDATE_SCREENSHOTS'] === '1' ? [] : [/@readme/]),
  ...(process.env['ALL_SCREENS'] === undefined ? [/@every-screen/] : []),
]

export default defineConfig({
  testDir: './stories',
  // Each worker runs programs of its own. One leaves a third of two cores idle; two are what two cores bear.
  workers: 2,
  forbidOnly: true,
  // A shared machine may stall for longer than a browser waits. A story that needed its second run is printed as
  // flaky: a fault to be mended, not a pass to be proud of.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  outputDir: './test-results',
  use: {
    launchOptions: CHROMIUM,
    locale: 'en-US',
    timezoneId: 'America/Chicago',
    actionTimeout: 10_000,
    screenshot: 'only-on-failure',
    // Watching every story costs a third of the time; the second run of one that failed is watched.
    trace: 'on-first-retry',
  },
  // A story with the tag of one of them runs there only.
  projects: [
    {
      name: 'phone',
      grepInvert: [...IGNORED_TESTS, /@desktop/],
      use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } },
    },
    // Stories that do not depend on the screen size run once, on the phone.
    {
      name: 'desktop',
      grepInvert: [...IGNORED_TESTS, /@phone/],
      testIgnore:
        /(account-safety|accounts|passkeys|admin|api-down|bare-start|checkout|connected|data|developers|installed-app|leads|people|public-forms|push|second-step|settings)\.spec\.ts$/,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
    },
  ],
})
