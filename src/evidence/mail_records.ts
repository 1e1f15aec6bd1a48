// Everything the name publishes about mail: MX and their addresses, the SPF include tree, DMARC, MTA-STS, TLS-RPT, BIMI.

// biome-ignore lint/suspicious/noEmptyInterface: its shape is written with its gatherer
export interface MailRecords {}
