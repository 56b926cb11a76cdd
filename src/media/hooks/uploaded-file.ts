/** The bytes of a file, as code has them in forms. */
export interface UploadedFile {
  /** Where it lies until it is stored. */
  readonly filepath: string;
  readonly originalFilename: string | null;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
}
