// Result of a payment that the bank has not confirmed.
import { Icon } from '@/ui/icon'
import { checkoutMessages as texts } from './messages'

export function WaitingStep() {
  return (
    <div className="grid justify-items-start gap-4">
      <Icon name="clock" className="size-12 text-warning" />
      <h1 className="text-title">{texts.waiting.title}</h1>
      <p>{texts.waiting.description}</p>
    </div>
  )
}
