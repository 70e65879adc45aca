// Text put into a field by one change: where fields save after a pause, half of what is typed could be saved.
import type { UserEvent } from '@testing-library/user-event'

export async function replaceText(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.tripleClick(field)
  await user.paste(text)
}
