// axe violations of a page by WCAG 2.2 AA, in both themes.
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { THEMES } from './gallery'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
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
  // None of our pages has a frame in it: to look at it from a page of axe's own would take twice as long.
  // Nor is anything made of what passes: to name its elements would take longer than to look at them.
  const { violations } = await rules(
    new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }),
  ).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
  )
}
