// Actions in the inbox, by visible text.
import { expect, type Locator, type Page } from '@playwright/test'

/** What a conversation is in the list, by something of what is read there. */
export function findThread(page: Page, text: string): Locator {
  return page.getByRole('list', { name: 'Conversations, newest first' }).getByRole('listitem').filter({ hasText: text })
}

export async function openThread(page: Page, text: string): Promise<void> {
  await findThread(page, text).getByRole('link').click()
  await expect(page.getByRole('log')).toBeVisible()
}

/** One message, found by its text. */
export function messageInThread(page: Page, words: string): Locator {
  return page.getByRole('log').getByRole('listitem').filter({ hasText: words })
}

/** Opens the inbox and waits until it hears of what happens. */
export async function openLiveInbox(page: Page): Promise<void> {
  await page.goto('/app/inbox')
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
}

export async function sendText(page: Page, body: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Text message' }).fill(body)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}
