/** Modules are called what users import: `kube-informer/client`, not the folder it lives in. */
export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? [])
      module.name = module.name.replace('/src', '').replace(/^apiserver/, '@kube-informer/apiserver');
  });
}
