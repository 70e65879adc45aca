import type { Schema } from '@/api/client'
import { telHref } from '@/lib/format/phone'
import { ExternalButton } from '@/ui/button'
import { customerPageMessages as texts } from './messages'

export function EmergencyCall({ context }: { context: Schema['FormContext'] | undefined }) {
  if (!context?.orgPhone) return null
  return (
    <div className="grid justify-items-center gap-2">
      <p>{texts.emergency}</p>
      <ExternalButton href={telHref(context.orgPhone)} variant="secondary" icon="phone">
        {texts.call(context.orgPhone)}
      </ExternalButton>
    </div>
  )
}
