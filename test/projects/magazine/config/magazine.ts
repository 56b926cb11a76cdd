enum Mode {
  Quiet = 'quiet',
}

export default ({ env }: any) => ({ name: 'Magazine', captcha: env('CAPTCHA', 'seven'), mode: Mode.Quiet });
