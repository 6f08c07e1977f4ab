extension StoreConformance {
    /// What models can ask for beyond plain attributes and relationships.
    static let modelCases =
        constraintCases + transientCases + orderCases + inheritanceCases
        + derivedCases + compositeCases + indexCases
}
