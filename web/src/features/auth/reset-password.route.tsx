// New password. Token in the URL fragment, which reaches no server, removed once read.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { AuthCard } from './auth-card'
import { authMessages } from './messages'
import { resetLinkQuery, useResetPassword } from './mutations'
import { resetPasswordSchema, type ResetPasswordValues } from './new-password'

function useToken(): string {
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const [token] = useState(() => hash.slice(1))
  useEffect(() => {
    if (hash !== '') void navigate(pathname, { replace: true })
  }, [hash, navigate, pathname])
  return token
}

export function Component() {
  useDocumentTitle(t('Choose a new password'))
  const token = useToken()
  const [isGone, setIsGone] = useState(token === '')
  const link = useQuery(resetLinkQuery(token))
  if (isGone || link.data === 'gone') return <LinkInvalid />
  if (link.isLoading) return null
  return (
    <AuthCard
      title={t('Choose a new password')}
      lead={t('Every device is signed out and your passkeys are removed. Add a new passkey after you sign in.')}
      footer={
        <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
          {t('Back to sign in')}
        </Link>
      }
    >
      <NewPasswordForm token={token} onGone={() => setIsGone(true)} />
      <p className="mt-4 text-note text-muted">
        {t(
          'If two-step sign-in is on, it stays on. No code? Another owner of your business or the person who runs your Toolbox can turn it off.',
        )}
      </p>
    </AuthCard>
  )
}

function LinkInvalid() {
  return (
    <EmptyState
      headingLevel={1}
      icon="mail"
      title={t('This link is no longer valid')}
      action={<LinkButton to={paths.forgotten}>{t('Ask for a new one')}</LinkButton>}
    >
      <p>{t('This link was used, or is older than 30 minutes. Ask for a new one.')}</p>
    </EmptyState>
  )
}

function NewPasswordForm({ token, onGone }: { token: string; onGone: () => void }) {
  const navigate = useNavigate()
  const reset = useResetPassword(token)
  const [problem, setProblem] = useState<string>()
  const send = async (values: ResetPasswordValues) => {
    setProblem(undefined)
    await reset.mutateAsync(values)
    await navigate(paths.login())
  }
  const fail = (error: unknown) => {
    if (error instanceof ApiError && error.status === 404) onGone()
    else if (!(error instanceof ApiError && 'password' in error.errors))
      setProblem(describeError(error, authMessages.reset.failure).description)
  }
  return (
    <Form
      label={t('New password')}
      schema={resetPasswordSchema}
      defaultValues={{ password: '', confirmPassword: '' }}
      onSubmit={send}
      onFailure={fail}
      className="grid gap-4"
    >
      {(form) => (
        <>
          <PasswordField
            form={form}
            name="password"
            label={t('New password')}
            autoComplete="new-password"
            hint={t('At least 8 characters')}
          />
          <PasswordField form={form} name="confirmPassword" label={t('Confirm password')} autoComplete="new-password" />
          {problem && <Notice tone="error" title={problem} />}
          <Button type="submit" wide pending={form.formState.isSubmitting} pendingText={t('Changing...')}>
            {t('Change password')}
          </Button>
        </>
      )}
    </Form>
  )
}
