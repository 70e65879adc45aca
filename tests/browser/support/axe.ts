// axe violations of a page by WCAG 2.2 AA, in both themes.
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { THEMES } from './gallery'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const TARGET_SIZE = 'target-size'
/** A theme changes colours and nothing else. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Each finding with the element it is about: by all rules in the theme that is on, by those of colour in the other. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  const found = await runAxe(page, (axe) => axe.withTags(RULES))
  const shown = await page.evaluate(() => document.documentElement.dataset['theme'])
  // The pages a customer opens by a link follow the device, and have stories of their own.
  if (shown === undefined) return found
  for (const theme of THEMES.filter((other) => other !== shown)) {
    await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), theme)
    const colours = await runAxe(page, (axe) => axe.withRules(COLOUR_RULES))
    found.push(...colours.map((finding) => `in ${theme}: ${finding}`))
  }
  await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), shown)
  return found
}

/** Colors are checked after all animations. */
async function runAxe(page: Page, rules: (axe: AxeBuilder) => AxeBuilder): Promise<string[]> {
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
            .length,
      ),
    )
    .toBe(0)
  const violations = await analyze(page, rules)
  const findings: string[] = []
  for (const { id, nodes } of violations)
    for (const { target, failureSummary } of nodes) {
      const selector = target.join(' ')
      if (id === TARGET_SIZE && (await isOnlyCovered(page, selector))) continue
      findings.push(`${id}: ${selector}: ${failureSummary ?? ''}`)
    }
  return findings
}

async function analyze(page: Page, rules: (axe: AxeBuilder) => AxeBuilder) {
  // No page has a frame: axe in a page of its own takes twice as long.
  // Passes are not listed: naming their elements takes longer than testing them.
  const { violations } = await rules(
    new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }),
  ).analyze()
  return violations
}

/** Whether the bar at the top or the bottom covers a part of the target until the page is scrolled. */
async function isOnlyCovered(page: Page, selector: string): Promise<boolean> {
  const before = await page.evaluate(() => scrollY)
  await page.locator(selector).evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }))
  const violations = await analyze(page, (axe) => axe.include(selector).withRules([TARGET_SIZE]))
  await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), before)
  return violations.length === 0
}
