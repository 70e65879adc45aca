import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'

type PreviewButtonProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  isPending: boolean
  onPreview: (values: T) => void
  onInvalid: () => void
}

export function PreviewButton<T extends FieldValues>({ form, isPending, onPreview, onInvalid }: PreviewButtonProps<T>) {
  const show = async () => {
    if (await form.trigger(undefined, { shouldFocus: true })) onPreview(form.getValues())
    else onInvalid()
  }
  return (
    <Button variant="secondary" icon="eye" pending={isPending} onClick={() => void show()}>
      {t('Preview PDF')}
    </Button>
  )
}
