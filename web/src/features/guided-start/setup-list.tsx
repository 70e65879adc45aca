// What is still to set up, on the dashboard; before the first figures in their place.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Badge } from '@/ui/badge'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button, LinkButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { Icon } from '@/ui/icon'
import { startMessages } from './messages'
import { useHideSetupList } from './mutations'
import type { SetupStep } from './queries'

const texts = startMessages.list

type SetupListProps = {
  /** What is missing, in its order. */
  steps: readonly SetupStep[]
  /** No figures yet. */
  isNew: boolean
}

export function SetupList({ steps, isNew }: SetupListProps) {
  return (
    <Card
      title={isNew ? texts.titleNew : texts.title}
      icon="sparkle"
      aside={steps.some(({ isUrgent }) => !isUrgent) && <HideButton />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {isNew && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <LinkButton to={paths.start()} icon="play">
              {texts.begin}
            </LinkButton>
            <p className="text-note text-muted">{texts.aboutNew}</p>
          </div>
        )}
        <ul className="divide-y divide-primary/22">
          {steps.map((step) => (
            <SetupEntry key={step.key} step={step} />
          ))}
        </ul>
        {isNew && <FormLink />}
      </div>
    </Card>
  )
}

/** The form takes requests before anything is set up. */
function FormLink() {
  const { orgSlug } = useCurrentUser()
  const path = paths.publicLead(orgSlug)
  const link = `${globalThis.location.origin}${path}`
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <p className="min-w-0 flex-1 basis-60 text-note text-muted">
        {texts.form}{' '}
        <a href={path} target="_blank" rel="noopener noreferrer" className="text-link">
          <BreakableAddress>{link}</BreakableAddress>
          <span className="sr-only"> {t('(new tab)')}</span>
        </a>
      </p>
      <CopyButton
        label={startMessages.test.copyLabel}
        value={link}
        copied={startMessages.test.copied}
        failed={startMessages.test.notCopied}
      >
        {startMessages.test.copy}
      </CopyButton>
    </div>
  )
}

function findPath({ key, isUrgent }: SetupStep): string {
  if (key === 'address') return paths.settings('subscription')
  if (key === 'cards' && isUrgent) return paths.settings('card-payments')
  return paths.start(key === 'first_request' ? 'test' : key)
}

function SetupEntry({ step }: { step: SetupStep }) {
  const { title, about } = step.key === 'cards' && step.isUrgent ? texts.refusedCards : texts.entries[step.key]
  return (
    <li>
      <Link to={findPath(step)} className="flex min-h-14 items-center gap-3 py-2 hover:text-primary">
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-2 font-semibold">
            {title}
            {step.isUrgent && (
              <Badge tone="warning" icon="alert">
                {texts.urgent}
              </Badge>
            )}
          </span>
          <span className="block text-note text-muted">{about}</span>
        </span>
        <Icon name="arrow-right" className="size-5 shrink-0 text-muted" />
      </Link>
    </li>
  )
}

function HideButton() {
  const hide = useHideSetupList()
  return (
    <Button variant="ghost" pending={hide.isPending} onClick={() => hide.mutate()}>
      {texts.hide}
    </Button>
  )
}
