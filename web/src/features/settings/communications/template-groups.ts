// Template groups in display order, with the automation they need.
import type { IconName } from '@/ui/icon'
import type { SwitchName, Template, TemplateKind } from '../types'

type TemplateGroup =
  | 'sms'
  | 'missedCall'
  | 'email'
  | 'employee'
  | 'estimateText'
  | 'visitBooked'
  | 'unpaidInvoice'
  | 'reviewRequest'

export const TEMPLATE_GROUPS = {
  sms: { icon: 'message', needs: 'automatedCommunications' },
  missedCall: { icon: 'phone', needs: 'automatedCommunications' },
  email: { icon: 'mail', needs: 'automatedCommunications' },
  employee: { icon: 'bell', needs: 'leadIntake' },
  // Estimates are sent by a person, whatever is switched off.
  estimateText: { icon: 'document', needs: null },
  visitBooked: { icon: 'calendar', needs: 'jobTracking' },
  unpaidInvoice: { icon: 'dollar', needs: 'jobTracking' },
  reviewRequest: { icon: 'star', needs: 'reviewCollection' },
} as const satisfies Record<TemplateGroup & TemplateKind, { icon: IconName; needs: SwitchName | null }>

export type TemplateEditorGroup = { group: TemplateGroup; main: Template; others: readonly Template[] }

/** The template an editor is named after, and those that stand in for it at other times. */
export function groupTemplates(templates: readonly Template[]): TemplateEditorGroup[] {
  return (Object.keys(TEMPLATE_GROUPS) as TemplateGroup[]).flatMap((group) => {
    const own = templates.filter((template) => template.group === group)
    const main = own.find(({ kind }) => kind === group)
    return main ? [{ group, main, others: own.filter((template) => template !== main) }] : []
  })
}
