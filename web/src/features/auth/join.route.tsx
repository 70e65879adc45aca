// Invitation screen.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router-dom'
import { ApiError, type Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { deviceStore } from '@/offline/device-store'
import { useSession } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { AuthCard } from './auth-card'
import { inviteQuery, joinSchema, joinMessages as texts, type JoinValues, useJoin } from './join-invite'
import { isNextStep, type NextSignInStep } from './mutations'

// Most businesses ask for no second step: it is fetched by those who join one that does.
const NextStep = lazy(async () => ({ default: (await import('./next-step')).NextStep }))

const ROLE_LEADS = {
  office: t('You were invited to work in the office.'),
  crew: t('You were invited to work as part of a crew.'),
  owner: t('You were invited to work as an owner.'),
} as const satisfies Record<Schema['Role'], string>

export function Component() {
  const { token = '' } = useParams()
  const invite = useQuery(inviteQuery(token))
  useDocumentTitle(t('Join'))
  if (invite.error instanceof ApiError && (invite.error.status === 404 || invite.error.status === 400))
    return <InviteInvalid />
  return (
    <QueryBoundary query={invite} errorText={texts.inviteFailed}>
      {(found) =>
        found.isEmailClosed ? <EmailClosed orgName={found.orgName} /> : <JoinForm invite={found} token={token} />
      }
    </QueryBoundary>
  )
}

function InviteInvalid() {
  return (
    <EmptyState
      headingLevel={1}
      icon="mail"
      title={texts.goneTitle}
      action={<LinkButton to={paths.login()}>{t('Sign in')}</LinkButton>}
    >
      <p>{texts.gone}</p>
    </EmptyState>
  )
}

/** The business may not send email yet, and this link proves no address: nobody can join by it. */
function EmailClosed({ orgName }: { orgName: string }) {
  return (
    <AuthCard
      title={t('Join {orgName}', { orgName })}
      lead={t('You cannot join yet.')}
      footer={
        <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
          {t('Sign in')}
        </Link>
      }
    >
      <Notice tone="warning" title={t('{orgName} cannot send email yet', { orgName })}>
        {t(
          'Before you join, your address is confirmed by email. Ask the owner to look under Settings, Plan and billing, and open this link again after that.',
        )}
      </Notice>
    </AuthCard>
  )
}

function JoinForm({ invite: { orgName, name, email, role }, token }: { invite: Schema['InviteOffer']; token: string }) {
  const navigate = useNavigate()
  const join = useJoin(token)
  const [problem, setProblem] = useState<string>()
  const [next, setNext] = useState<NextSignInStep>()
  const [mailedTo, setMailedTo] = useState<string>()
  const accept = async ({ confirmPassword: _same, ...values }: JoinValues) => {
    setProblem(undefined)
    const answer = await join.mutateAsync(values)
    if (isNextStep(answer) && answer.step === 'confirm_email') setMailedTo(values.email)
    else if (isNextStep(answer)) setNext(answer)
    else await navigate(paths.app)
  }
  if (mailedTo !== undefined) {
    return (
      <AuthCard
        title={t('Join {orgName}', { orgName })}
        lead={t('One step is left.')}
        footer={
          <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
            {t('Sign in')}
          </Link>
        }
      >
        <div className="grid gap-4">
          <Notice tone="success" title={t('Check your email')}>
            {t('We mailed {mailedTo} how to go on. Check your spam folder too.', { mailedTo })}
          </Notice>
          <Button variant="secondary" wide onClick={() => setMailedTo(undefined)}>
            {t('Use another address')}
          </Button>
        </div>
      </AuthCard>
    )
  }
  if (next) {
    return (
      <AuthCard
        title={t('Join {orgName}', { orgName })}
        lead={t('You are part of it. One step is left.')}
        footer={
          <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
            {t('Sign in later')}
          </Link>
        }
      >
        <Suspense fallback={<SkeletonLines />}>
          <NextStep
            next={next}
            onBack={() => void navigate(paths.login())}
            onSignedIn={() => void navigate(paths.app)}
          />
        </Suspense>
      </AuthCard>
    )
  }
  return (
    <AuthCard
      title={t('Join {orgName}', { orgName })}
      lead={ROLE_LEADS[role]}
      footer={
        <>
          {t('Already have an account?')}{' '}
          <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
            {t('Sign in')}
          </Link>
        </>
      }
    >
      <AlreadySignedIn />
      <Form
        label={t('Join')}
        schema={joinSchema}
        defaultValues={{ name, email: email ?? '', password: '', confirmPassword: '' }}
        onSubmit={accept}
        onFailure={(error) => setProblem(describeError(error, texts.failure).description)}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="name"
              label={t('Full name')}
              required
              autoComplete="name"
              hint={t('As the others and your customers see it')}
            />
            <TextField
              form={form}
              name="email"
              label={t('Email')}
              type="email"
              required
              autoComplete="username"
              inputMode="email"
              autoCapitalize="none"
              hint={
                email == null && token.includes('~')
                  ? t('The address that we mailed this link to')
                  : t('You sign in with it')
              }
            />
            <PasswordField
              form={form}
              name="password"
              label={t('Password')}
              autoComplete="new-password"
              hint={t('At least 8 characters')}
            />
            <PasswordField
              form={form}
              name="confirmPassword"
              label={t('Confirm password')}
              autoComplete="new-password"
            />
            {problem && <Notice tone="error" title={problem} />}
            <Button type="submit" wide pending={form.formState.isSubmitting} pendingText={t('Joining...')}>
              {t('Join')}
            </Button>
          </>
        )}
      </Form>
    </AuthCard>
  )
}

/** Somebody tries a link on a device that is another person's. */
function AlreadySignedIn() {
  const [ask] = useState(deviceStore.isOwned)
  const session = useSession({ ask })
  if (session.status !== 'authenticated') return null
  return (
    <Notice tone="warning" title={t('{name} is signed in here', { name: session.user.name })} className="mb-4">
      {t('Who joins takes their place on this device.')}
    </Notice>
  )
}
