// Toast for a refused change in the demonstration, with a link to the signup.
import { DEMO_REFUSAL, REQUEST_A_DEMO } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { toast } from './toast-store'

/** Time to decide. */
const SHOWN_MS = 8000

export function showDemoRefusal(): void {
  toast.show(DEMO_REFUSAL, {
    variant: 'info',
    durationMs: SHOWN_MS,
    // Full page load.
    action: { label: REQUEST_A_DEMO, onAction: () => globalThis.location.assign(paths.checkout) },
  })
}
