/** In the place of a password: the hash of one that is stored, which goes on being the same. */
export class KeptHash {
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}
