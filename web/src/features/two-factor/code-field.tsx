// One-time code input with autofill.
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { t } from '@/lib/i18n'
import { TextField } from '@/ui/field'

type CodeFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  /** Whether a code for a lost phone, which has letters, is taken too. */ takesRecovery?: boolean
}

export function CodeField<T extends FieldValues>({ form, name, takesRecovery = false }: CodeFieldProps<T>) {
  const hint = takesRecovery
    ? t('Six digits of your authenticator app. Lost your phone? Type one of your recovery codes.')
    : t('Six digits of your authenticator app')
  return (
    <TextField
      form={form}
      name={name}
      label={t('Code')}
      required
      hint={hint}
      autoComplete="one-time-code"
      inputMode={takesRecovery ? 'text' : 'numeric'}
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
    />
  )
}
