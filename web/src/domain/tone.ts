// State tones, always shown with icon and text.
export type Tone = 'neutral' | 'info' | 'accent' | 'warning' | 'secondary' | 'success' | 'error'
