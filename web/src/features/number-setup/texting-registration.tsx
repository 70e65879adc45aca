// Registration of texts with the carriers: its state, what they see, and the form.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Disclosure } from '@/ui/disclosure'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { ConfirmationNotice, RegistrationSteps } from './local-registration'
import { numberSetupMessages } from './messages'
import { numberQueries, type TextingRegistration as Registration } from './queries'
import { RegistrationForm } from './registration-form'

const texts = numberSetupMessages.registration

/** For owners. Shows nothing while the business has no number. */
export function TextingRegistration() {
  const { orgId } = useCurrentUser()
  const registration = useQuery(numberQueries.registration(orgId))
  return (
    <QueryBoundary query={registration} skeleton={<SkeletonLines lines={4} />} errorText={texts.loadFailed}>
      {(found) => (found.kind ? <RegistrationView registration={found} /> : null)}
    </QueryBoundary>
  )
}

function RegistrationView({ registration }: { registration: Registration }) {
  const { kind, number, state, reason, canSubmit, obstacle, steps, fees, confirmationPhone } = registration
  const { meanwhile, profile, kit } = registration
  return (
    <section aria-label={texts.title} className="grid gap-4">
      <h3 className="font-semibold">
        {texts.title}
        {number && <span className="font-normal text-muted"> {formatPhone(number)}</span>}
      </h3>
      {state && (
        <Notice
          tone={state === 'approved' ? 'success' : state === 'rejected' || state === 'failed' ? 'error' : 'info'}
          title={texts.states[state]}
        >
          {reason}
        </Notice>
      )}
      {confirmationPhone && <ConfirmationNotice phone={confirmationPhone} />}
      {steps.length > 0 && <RegistrationSteps steps={steps} />}
      {meanwhile && <p className="text-note text-muted">{meanwhile}</p>}
      {obstacle && <p className="text-note">{obstacle === 'by_operator' ? texts.tenDlc : texts.notTrusted}</p>}
      {canSubmit && (
        <>
          <p className="text-note text-muted">{texts.about}</p>
          <p className="text-note text-muted">{texts.einNote}</p>
          {/* A new answer of the server begins the form anew. */}
          <RegistrationForm
            key={registration.submittedAt ?? 'new'}
            profile={profile}
            isLocal={kind === 'ten_dlc'}
            fees={fees}
          />
        </>
      )}
      <Disclosure summary={texts.kit}>
        <KitView kit={kit} />
      </Disclosure>
    </section>
  )
}

function KitView({ kit }: { kit: Registration['kit'] }) {
  return (
    <dl className="grid gap-3 text-note">
      <dt className="font-semibold">{t('What you text about')}</dt>
      <dd>{kit.summary}</dd>
      <dt className="font-semibold">{t('Samples')}</dt>
      <dd>
        <ul className="list-disc space-y-1 pl-5">
          {kit.samples.map((sample) => (
            <li key={sample} className="wrap-anywhere">
              {sample}
            </li>
          ))}
        </ul>
      </dd>
      <dt className="font-semibold">{t('Where customers agree')}</dt>
      <dd>
        <a className="text-link wrap-anywhere" href={kit.optInUrl} target="_blank" rel="noreferrer">
          {kit.optInUrl}
        </a>
      </dd>
      <dt className="font-semibold">{t('Privacy and messaging terms')}</dt>
      <dd className="grid gap-1">
        {[kit.privacyUrl, kit.termsUrl].map((url) => (
          <a key={url} className="text-link wrap-anywhere" href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        ))}
      </dd>
    </dl>
  )
}
