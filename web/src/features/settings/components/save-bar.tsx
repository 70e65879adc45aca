import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'

type SaveBarProps = { isDirty: boolean; isSaving: boolean; onUndo: () => void; onSave?: () => void; label?: string }

/** Without `onSave` the button submits its form. */
export function SaveBar({ isDirty, isSaving, onUndo, onSave, label = t('Save changes') }: SaveBarProps) {
  const isOnline = useOnline()
  if (!isDirty && !isSaving) {
    return (
      <p className="flex min-h-12 items-center gap-2 text-note text-muted">
        <Icon name="check" className="size-4" />
        {t('Everything here is saved')}
      </p>
    )
  }
  return (
    <div
      className={classNames(
        'sticky bottom-[calc(var(--nav-height)+var(--sai-bottom)+.5rem)] z-10 -mx-2 flex flex-wrap items-center gap-2 rounded-field border border-primary/55 bg-base-100 p-2 lg:bottom-3',
      )}
    >
      <Button
        type={onSave ? 'button' : 'submit'}
        pending={isSaving}
        pendingText={t('Saving...')}
        disabled={!isOnline}
        className="flex-1 sm:flex-none"
        {...(onSave ? { onClick: onSave } : {})}
      >
        {label}
      </Button>
      <Button variant="ghost" onClick={onUndo} disabled={isSaving}>
        {t('Undo')}
      </Button>
      <p className="w-full px-1 text-caption text-muted sm:w-auto">
        {isOnline ? t('Not saved yet') : t('You are offline. Save when you are back; what you typed stays here.')}
      </p>
    </div>
  )
}

/** The bar of a form that is its own. */
export function FormSaveBar<T extends FieldValues>({ form }: { form: UseFormReturn<T> }) {
  const { isDirty, isSubmitting } = form.formState
  return <SaveBar isDirty={isDirty} isSaving={isSubmitting} onUndo={() => form.reset()} />
}
