type Props = Readonly<Record<string, unknown>>;

/** What the plugin uses of Swagger UI's plugin API. */
interface System {
  readonly React: {
    readonly createElement: (type: unknown, props?: Props | null, ...children: readonly unknown[]) => unknown;
    readonly Fragment: unknown;
  };
}

/**
 * A plugin of Swagger UI: it mends what axe calls serious or critical (select-name, label, button-name,
 * label-content-name-mismatch, nested-interactive, list). The browser runs the text of this function, so it refers to nothing
 * outside of itself. https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */
export function docsPlugin({ React }: System): object {
  const h = React.createElement;
  const forEars = (text: string) => h('span', { className: 'for-ears' }, text);
  const wrapped = (render: (Original: unknown, props: Props) => unknown) => (Original: unknown) => (props: Props) =>
    render(Original, props);
  const labelled = (name: string) => wrapped((Original, props) => h('label', null, forEars(name), h(Original, props)));
  const isExtension = ({ className }: Props) => className === 'json-schema-2020-12-json-viewer-extension-keyword';
  return {
    wrapComponents: {
      Servers: labelled('Server'),
      ExamplesSelect: labelled('Example'),
      TextArea: wrapped((Original, props) => h(Original, { 'aria-label': 'Request body', ...props })),
      CloseIcon: wrapped((Original, props) => h(React.Fragment, null, h(Original, props), forEars('Close the dialog'))),
      // Swagger UI puts these into a list as they are.
      JSONSchema202012JSONViewer: wrapped((Original, props) =>
        h(isExtension(props) ? 'li' : React.Fragment, null, h(Original, props)),
      ),
      // Its name is its text.
      Button: wrapped((Original, props) => h(Original, { ...props, 'aria-label': undefined })),
      // A link inside the button that opens an operation.
      DeepLink: wrapped((Original, props) => h(Original, { ...props, enabled: false })),
    },
  };
}
