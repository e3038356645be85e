package main

import (
	"strconv"
	_ "unsafe" // for go:linkname

	celgo "github.com/google/cel-go/cel"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// estimate is the cost that an expression could have; numbers of 64 bits are texts.
type estimate struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

// Kubernetes keeps these to itself and shows the maximum only.

//go:linkname prepareEnvSet k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.prepareEnvSet
func prepareEnvSet(base *environment.EnvSet, declType *apiservercel.DeclType) (*environment.EnvSet, *environment.EnvSet, error)

//go:linkname newCostEstimator k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.newCostEstimator
func newCostEstimator(root *apiservercel.DeclType) *library.CostEstimator

// estimates returns one for each rule of a schema that compiles, and for its messageExpression.
func estimates(schema *structuralschema.Structural) []estimate {
	list := []estimate{}
	declType := model.SchemaDeclType(schema, false)
	if declType == nil {
		return list
	}
	plain, optional, err := prepareEnvSet(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), declType)
	if err != nil {
		panic(err)
	}
	for _, rule := range schema.XValidations {
		set := plain
		if rule.OptionalOldSelf != nil && *rule.OptionalOldSelf {
			set = optional
		}
		found := estimated(set.NewExpressionsEnv(), rule.Rule, celgo.BoolType, newCostEstimator(declType))
		if found == nil {
			continue
		}
		list = append(list, *found)
		if rule.MessageExpression == "" {
			continue
		}
		if found := estimated(set.NewExpressionsEnv(), rule.MessageExpression, celgo.StringType, newCostEstimator(declType)); found != nil {
			list = append(list, *found)
		}
	}
	return list
}

func estimated(env *celgo.Env, expression string, output *celgo.Type, estimator *library.CostEstimator) *estimate {
	ast, issues := env.Compile(expression)
	if issues != nil || ast.OutputType() != output {
		return nil
	}
	cost, err := env.EstimateCost(ast, estimator)
	if err != nil {
		panic(err)
	}
	return &estimate{strconv.FormatUint(cost.Min, 10), strconv.FormatUint(cost.Max, 10)}
}
