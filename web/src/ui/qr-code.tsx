// QR code, dark on white in both themes for scanners.
import type { Schema } from '@/api/client'
import { classNames } from '@/lib/class-names'

type QrCodeProps = { picture: Schema['QrPicture']; /** Accessible name. */ label: string; className?: string }

export function QrCode({ picture: { size, path }, label, className }: QrCodeProps) {
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className={classNames('rounded-field bg-white text-black', className)}
    >
      <path d={path} fill="currentColor" />
    </svg>
  )
}
