// Password reset request. The answer is the same for every address.
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { AuthCard } from './auth-card'
import { ResetLinkSent } from './reset-link-sent'
import { useRequestPasswordReset } from './mutations'
import { forgotPasswordSchema, type ForgotPasswordValues } from './schema'

export function Component() {
  useDocumentTitle(t('Forgot your password?'))
  const forgotten = useRequestPasswordReset()
  const [sentTo, setSentTo] = useState<string>()
  const ask = async (values: ForgotPasswordValues) => {
    await forgotten.mutateAsync(values)
    setSentTo(values.email)
  }
  return (
    <AuthCard
      title={t('Forgot your password?')}
      lead={t('We mail you a link to choose a new one.')}
      footer={
        <Link to={paths.login()} className="text-link inline-flex min-h-11 items-center">
          {t('Back to sign in')}
        </Link>
      }
    >
      {sentTo ? (
        <ResetLinkSent email={sentTo} />
      ) : (
        <Form
          label={t('Forgot your password?')}
          schema={forgotPasswordSchema}
          defaultValues={{ email: '' }}
          onSubmit={ask}
          onFailure={ignoreFailure}
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
                autoComplete="username"
                inputMode="email"
                autoCapitalize="none"
              />
              <Button
                type="submit"
                wide
                icon="mail"
                pending={form.formState.isSubmitting}
                pendingText={t('Sending...')}
              >
                {t('Mail me a link')}
              </Button>
            </>
          )}
        </Form>
      )}
    </AuthCard>
  )
}
