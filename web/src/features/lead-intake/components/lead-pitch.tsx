import { formatPhone, telHref } from '@/lib/format/phone'
import type { PublicForm } from '@/features/public-form/use-form-context'
import { Icon, type IconName } from '@/ui/icon'
import { leadMessages } from '../messages'

const STEPS: readonly { icon: IconName; text: string }[] = [
  { icon: 'document', text: 'Tell us what needs doing. It takes a minute.' },
  { icon: 'send', text: 'Your request reaches us the moment you send it.' },
  { icon: 'check-circle', text: 'We come back to you with a free quote.' },
]

/** The page of a business has its name and phone above. */
export function LeadPitch({ publicForm: { org, context } }: { publicForm: PublicForm }) {
  const isGeneric = org === null
  return (
    <div className="grid content-start gap-5 lg:sticky lg:top-8">
      <div>
        {isGeneric && <p className="min-h-7 text-crew font-semibold text-primary">{context?.orgName}</p>}
        <h1 className="mt-1 text-figure">{leadMessages.title}</h1>
      </div>
      <ol className="hidden gap-4 sm:grid">
        {STEPS.map(({ icon, text }) => (
          <li key={icon} className="flex items-center gap-3">
            <span className="grid size-11 shrink-0 place-items-center rounded-field border border-primary/30 bg-primary/8 text-primary">
              <Icon name={icon} />
            </span>
            {text}
          </li>
        ))}
      </ol>
      {isGeneric && context?.orgPhone && (
        <p className="flex flex-wrap items-center gap-x-2 text-muted">
          Rather talk?
          <a
            href={telHref(context.orgPhone)}
            className="text-link inline-flex min-h-12 items-center gap-2 whitespace-nowrap"
          >
            <Icon name="phone" />
            {formatPhone(context.orgPhone)}
          </a>
        </p>
      )}
    </div>
  )
}
