// What a change is answered with in the demonstration: in words, with the way to a business of one's own.
import { DEMO_REFUSAL, REQUEST_A_DEMO } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { toast } from './toast-store'

/** Longer than usual: there is something to decide. */
const SHOWN_MS = 8000

/** Says that nothing was sent and nothing was changed. */
export function sayRefused(): void {
  toast.show(DEMO_REFUSAL, {
    variant: 'info',
    durationMs: SHOWN_MS,
    // Out of the demonstration, so not by its router.
    action: { label: REQUEST_A_DEMO, onAction: () => globalThis.location.assign(paths.checkout) },
  })
}
