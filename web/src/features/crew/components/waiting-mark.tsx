// Whether something is on its way to the server or was not taken, as icon and word.
import type { Entry } from '@/offline/outbox/entry'
import { StateLine } from '@/ui/state-line'
import { crewMessages as texts } from '../messages'

export function WaitingMark({ entry: { refusal } }: { entry: Pick<Entry, 'refusal'> }) {
  return refusal === null ? (
    <StateLine tone="warning" icon="clock">
      {texts.waiting}
    </StateLine>
  ) : (
    <StateLine tone="error" icon="alert">
      {texts.refused}: {refusal}
    </StateLine>
  )
}
