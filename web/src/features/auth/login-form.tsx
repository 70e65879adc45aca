// Login form with passkey, password and second step; also used after an expired session.
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { supportsPasskeys } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { PasswordField } from '@/ui/password-field'
import { SkeletonLines } from '@/ui/skeleton'
import { TextField } from '@/ui/field'
import { toast } from '@/ui/toast/toast-store'
import { authMessages } from './messages'
import { PasskeySignIn } from './passkey-sign-in'
import { isNextStep, type NextSignInStep, useLogin } from './mutations'
import { loginSchema, type LoginValues } from './schema'

// Most sign-ins have no second step: it is fetched by those that do.
const NextStep = lazy(async () => ({ default: (await import('./next-step')).NextStep }))
const SignInBlocked = lazy(async () => ({ default: (await import('./sign-in-blocked')).SignInBlocked }))

type LoginFormProps = {
  email?: string
  /** For an email that is filled in. */ focusesPassword?: boolean
  onSignedIn?: () => void
}

const noop = () => undefined

export function LoginForm({ email = '', focusesPassword = false, onSignedIn = noop }: LoginFormProps) {
  const [next, setNext] = useState<NextSignInStep>()
  if (next)
    return (
      <Suspense fallback={<SkeletonLines />}>
        <NextStep key={next.ticket} next={next} onBack={() => setNext(undefined)} onSignedIn={onSignedIn} />
      </Suspense>
    )
  return (
    <>
      <PasskeySignIn onSignedIn={onSignedIn} />
      <PasswordForm email={email} focusesPassword={focusesPassword} onSignedIn={onSignedIn} onNext={setNext} />
    </>
  )
}

/** So many wrong passwords were tried for the address that no more are looked at for now. */
const isSignInBlocked = (error: unknown) => error instanceof ApiError && error.code === 'sign_in_held'

type PasswordProps = {
  email: string
  focusesPassword: boolean
  onSignedIn: () => void
  onNext: (next: NextSignInStep) => void
}

function PasswordForm({ email, focusesPassword, onSignedIn, onNext }: PasswordProps) {
  const login = useLogin()
  const [problem, setProblem] = useState<string>()
  const texts = authMessages.login
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focusesPassword) fields.current?.querySelector<HTMLInputElement>('[type=password]')?.focus()
  }, [focusesPassword])

  const signIn = async (values: LoginValues) => {
    setProblem(undefined)
    const answer = await login.mutateAsync(values)
    if (isNextStep(answer)) onNext(answer)
    else onSignedIn()
  }

  const fail = (error: unknown) => {
    if (!isSignInBlocked(error))
      setProblem(describeError(error, { title: texts.failureTitle, description: texts.failure }).description)
  }

  return (
    <Form
      label={t('Sign in')}
      schema={loginSchema}
      defaultValues={{ email, password: '' }}
      onSubmit={signIn}
      onInvalid={() => toast.error(texts.missing.title, texts.missing.description)}
      onFailure={fail}
      className="grid gap-4"
    >
      {(form) => (
        <>
          <TextField
            form={form}
            name="email"
            label={t('Email')}
            type="email"
            required
            autoComplete="username webauthn"
            inputMode="email"
            autoCapitalize="none"
          />
          <div ref={fields}>
            <PasswordField form={form} name="password" label={t('Password')} autoComplete="current-password" />
          </div>
          {problem && <Notice tone="error" title={problem} />}
          {isSignInBlocked(login.error) && (
            <Suspense fallback={<SkeletonLines />}>
              <SignInBlocked email={login.variables?.email ?? ''} />
            </Suspense>
          )}
          <Button
            type="submit"
            wide
            variant={supportsPasskeys() ? 'secondary' : 'primary'}
            pending={form.formState.isSubmitting}
            pendingText={t('Signing in...')}
          >
            {t('Sign In')}
          </Button>
        </>
      )}
    </Form>
  )
}
