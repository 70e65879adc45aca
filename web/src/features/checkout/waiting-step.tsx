// After a payment that the bank still thinks about: nobody is thanked yet, and nobody pays twice.
import { Icon } from '@/ui/icon'
import { checkoutTexts as texts } from './messages'

export function WaitingStep() {
  return (
    <div className="grid justify-items-start gap-4">
      <Icon name="clock" className="size-12 text-warning" />
      <h1 className="text-title">{texts.waiting.title}</h1>
      <p>{texts.waiting.description}</p>
    </div>
  )
}
