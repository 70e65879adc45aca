// Submit button, sticky above the keyboard on phones.
import { Button } from '@/ui/button'

type SubmitBarProps = { label: string; isSubmitting: boolean }

export function SubmitBar({ label, isSubmitting }: SubmitBarProps) {
  return (
    <div className="submit-bar sticky bottom-0 z-20 -mx-4 px-4 py-3 sm:static sm:mx-0 sm:p-0">
      <Button type="submit" wide icon="send" pending={isSubmitting} pendingText="Submitting...">
        {label}
      </Button>
    </div>
  )
}
