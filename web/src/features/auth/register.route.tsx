// Registration of a business with its owner.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { Button, LinkButton } from '@/ui/button'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import type { AfterRegistration } from './after-registration'
import { AuthCard } from './auth-card'
import { registrationQuery } from './mutations'
import { registerSchema, type RegisterValues, registrationMessages, useRegister } from './registration'

const EMPTY: RegisterValues & { confirmPassword: string } = {
  name: '',
  email: '',
  orgName: '',
  password: '',
  confirmPassword: '',
}

export function Component() {
  useDocumentTitle(t('Create account'))
  const navigate = useNavigate()
  // The operator's invitation is in the URL fragment, which is not sent to servers.
  const { hash } = useLocation()
  const [invitation] = useState(() => hash.slice(1))
  const { data: registration } = useQuery(registrationQuery())
  const register = useRegister(invitation)
  const [isOperator, setIsOperator] = useState(false)
  const [problem, setProblem] = useState<string>()
  const texts = registrationMessages

  const createAccount = async (values: RegisterValues) => {
    setProblem(undefined)
    await register.mutateAsync(values)
    // Not in the address: it is personal.
    await navigate(paths.login(), {
      state: { registeredName: values.name, registeredEmail: values.email } satisfies AfterRegistration,
    })
  }

  if (invitation === '' && !isOperator && registration?.notice) {
    return (
      <AuthCard
        title={texts.closed}
        lead={registration.notice}
        footer={
          <>
            {t('Already have an account?')}{' '}
            <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
              {t('Sign in')}
            </Link>
          </>
        }
      >
        <div className="grid gap-3">
          {registration.mode === 'invite' && <LinkButton to={paths.checkout}>{t('Request a demo')}</LinkButton>}
          <Button variant="ghost" onClick={() => setIsOperator(true)}>
            {texts.operator}
          </Button>
        </div>
      </AuthCard>
    )
  }

  return (
    <AuthCard
      title={t('Create your account')}
      lead={t('Your business answers every request for work within seconds, from today.')}
      footer={
        <>
          {t('Already have an account?')}{' '}
          <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
            {t('Sign in')}
          </Link>
        </>
      }
    >
      <Form
        label={t('Create account')}
        schema={registerSchema}
        defaultValues={EMPTY}
        onSubmit={createAccount}
        onFailure={(error) =>
          setProblem(describeError(error, { title: texts.failureTitle, description: texts.failure }).description)
        }
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField form={form} name="name" label={t('Full name')} required autoComplete="name" />
            <TextField
              form={form}
              name="email"
              label={t('Email')}
              type="email"
              required
              autoComplete="username"
              inputMode="email"
              autoCapitalize="none"
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
            <TextField
              form={form}
              name="orgName"
              label={t('Business name')}
              required
              autoComplete="organization"
              hint={t('As your customers know it')}
            />
            {isOperator && <Notice tone="info" title={texts.operatorAddress} />}
            {invitation !== '' && <Notice tone="info" title={texts.invited} />}
            {problem && <Notice tone="error" title={problem} />}
            <Button type="submit" wide pending={form.formState.isSubmitting} pendingText={t('Creating account...')}>
              {t('Create account')}
            </Button>
          </>
        )}
      </Form>
    </AuthCard>
  )
}
