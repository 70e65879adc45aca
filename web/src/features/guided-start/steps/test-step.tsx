// The test at the end: calls and texts of the own number, or the own form, shown as they arrive.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatPhone } from '@/lib/format/phone'
import { paths } from '@/lib/paths'
import { numberQueries } from '@/features/number-setup/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { ExternalButton } from '@/ui/button'
import { CopyField } from '@/ui/copy-field'
import { QrCode } from '@/ui/qr-code'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { ArrivalCard } from '../arrival-card'
import { startMessages } from '../messages'
import { useShowSetupList } from '../mutations'
import { setupQueries } from '../queries'
import { StepFrame } from '../step-frame'
import { formAddressQuery } from '../test-queries'
import { useCallArrival, useRequestArrival } from '../use-arrivals'
import type { StartNav } from '../use-start-nav'

const texts = startMessages.test

export function TestStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(numberQueries.current(orgId))
  return (
    <StepFrame nav={nav} onContinue={nav.next} continueText={texts.done}>
      <QueryBoundary query={found} skeleton={<SkeletonLines lines={6} />} errorText={startMessages.loadFailed}>
        {({ number, why }) => (number && why === null ? <NumberTest number={number} /> : <FormTest />)}
      </QueryBoundary>
      <HiddenList />
    </StepFrame>
  )
}

function NumberTest({ number }: { number: string }) {
  const arrivals = useCallArrival()
  const shown = formatPhone(number)
  return (
    <>
      <p>{texts.withNumber(shown)}</p>
      <ArrivalCard kind="call" arrival={arrivals.call}>
        <ExternalButton href={`tel:${number}`} variant="secondary" icon="phone">
          {texts.dial}
        </ExternalButton>
      </ArrivalCard>
      <ArrivalCard kind="text" arrival={arrivals.text}>
        <ExternalButton href={`sms:${number}`} variant="secondary" icon="message">
          {texts.write}
        </ExternalButton>
      </ArrivalCard>
      <p className="text-note text-muted">{texts.ownPhone}</p>
    </>
  )
}

function FormTest() {
  const { orgId } = useCurrentUser()
  const form = useQuery(formAddressQuery(orgId))
  const arrival = useRequestArrival()
  return (
    <>
      <ArrivalCard kind="form" arrival={arrival}>
        <QueryBoundary query={form} skeleton={<SkeletonLines lines={5} />} errorText={texts.failed}>
          {({ url, qr }) => (
            <div className="grid gap-3">
              <QrCode picture={qr} label={texts.qr} className="size-40" />
              <CopyField label={texts.formName} value={url} copied={texts.copied} failed={texts.notCopied} />
              <div>
                <ExternalButton href={url} variant="secondary" icon="external">
                  {texts.openForm}
                </ExternalButton>
              </div>
            </div>
          )}
        </QueryBoundary>
      </ArrivalCard>
      <p>
        <Link to={paths.start('number')} className="text-link inline-flex min-h-11 items-center">
          {texts.getNumber}
        </Link>
      </p>
    </>
  )
}

/** The list that she hid from her dashboard, to show it again. */
function HiddenList() {
  const { orgId } = useCurrentUser()
  const steps = useQuery(setupQueries.steps(orgId))
  const show = useShowSetupList()
  if (!steps.data?.some(({ isHidden }) => isHidden)) return null
  return (
    <button
      type="button"
      className="text-link flex min-h-11 w-fit items-center"
      disabled={show.isPending}
      onClick={() => show.mutate()}
    >
      {startMessages.list.show}
    </button>
  )
}
