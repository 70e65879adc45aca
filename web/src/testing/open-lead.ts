// Steps on the lead page.
import { screen, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'

type QuickAction = 'Generate Estimate PDF' | 'Send Reminder' | 'Mark as Paid' | 'Request Review'

export async function openQuickActions(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'More for this lead' }))
  return within(await screen.findByRole('dialog', { name: 'Quick Actions' }))
}

export async function pickQuickAction(user: UserEvent, name: QuickAction): Promise<void> {
  const sheet = await openQuickActions(user)
  await user.click(sheet.getByRole('button', { name }))
}

/** A tab of the lead or the job page. */
export async function openTab(user: UserEvent, name: string): Promise<void> {
  await user.click(await screen.findByRole('tab', { name }))
}
