/** Names modules as users import them: `kube-informer/client`, not by their folder. */
export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? [])
      module.name = module.name.replace('/src', '').replace(/^apiserver/, '@kube-informer/apiserver');
  });
}
