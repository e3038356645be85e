// Prints what Kubernetes answers to rules in a schema: one JSON line per line of input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// question is one object, perhaps with the one that it replaces, under a schema.
type question struct {
	Schema json.RawMessage `json:"schema"`
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old,omitempty"`
	// Estimate asks for the estimates, too.
	Estimate bool `json:"estimate,omitempty"`
}

type fault struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type answer struct {
	// Definition holds the errors of a definition with this schema.
	Definition []fault  `json:"definition"`
	Errors     []fault  `json:"errors"`
	Warnings   []string `json:"warnings"`
	Cost       int64    `json:"cost"`
	// Estimates holds the cost that the rules of spec could have.
	Estimates []estimate `json:"estimates,omitempty"`
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

func faults(errs field.ErrorList) []fault {
	list := []fault{}
	for _, err := range errs {
		list = append(list, fault{string(err.Type), err.Field, err.ErrorBody()})
	}
	return list
}

func value(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := kjson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func reply(q question) (a answer) {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(q.Schema, &props); err != nil {
		panic(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		panic(err)
	}
	preserve := false
	definition := &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensions.NamespaceScoped,
			Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &internal},
			PreserveUnknownFields: &preserve,
			Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	a.Definition = faults(validation.ValidateCustomResourceDefinition(context.Background(), definition))
	a.Errors, a.Warnings = []fault{}, []string{}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return a
	}
	if q.Estimate {
		spec := structural.Properties["spec"]
		a.Estimates = estimates(&spec)
	}
	object, old := value(q.Object), value(q.Old)
	if object == nil {
		return a
	}
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	options := []cel.Option{}
	if old != nil {
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
	}
	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if validator == nil {
		return a
	}
	errs, rest := validator.Validate(ctx, nil, structural, object, old, celconfig.RuntimeCELCostBudget, options...)
	a.Errors = faults(errs)
	a.Warnings = append(a.Warnings, recorder.texts...)
	a.Cost = celconfig.RuntimeCELCostBudget - rest
	return a
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(reply(q)); err != nil {
			panic(err)
		}
	}
}
