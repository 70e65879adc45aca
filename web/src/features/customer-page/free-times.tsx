// Slot for free times after a form. Empty while the business takes no bookings.
import type { Schema } from '@/api/client'
import { ExternalButton } from '@/ui/button'
import { customerPageMessages as texts } from './messages'

export function FreeTimes({ context }: { context: Schema['FormContext'] | undefined }) {
  if (!context?.bookingUrl) return null
  return (
    <section aria-labelledby="free-times" className="grid w-full justify-items-center gap-2">
      <h2 id="free-times" className="text-crew">
        {texts.freeTimes.title}
      </h2>
      <ExternalButton href={context.bookingUrl} icon="calendar">
        {texts.freeTimes.action}
      </ExternalButton>
    </section>
  )
}
