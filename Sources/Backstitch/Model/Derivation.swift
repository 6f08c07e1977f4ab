/// The source of a derived attribute's value.
package enum Derivation: Hashable, Sendable {
    /// A copy of the object's own attribute (one name), or of one at the end of a to-one relationship (two names).
    case copy([String], Folding?)
    /// The number of objects of a to-many relationship.
    case count(String)
    /// The sum of an attribute over a to-many relationship.
    case sum(relationship: String, attribute: String)
    /// The time of the last write.
    case now

    /// The change made to a copied text.
    package enum Folding: String, CaseIterable, Sendable {
        case canonical, lowercase, uppercase
    }

    /// Parses a derivation from an expression; nil if the expression is none.
    package init?(_ text: String) {
        let text = String(text.filter { $0 != " " })
        if text == "now()" {
            self = .now
            return
        }
        for folding in Folding.allCases where text.hasPrefix("\(folding.rawValue):(") && text.hasSuffix(")") {
            let names = Self.names(String(text.dropFirst(folding.rawValue.count + 2).dropLast()))
            guard (1...2).contains(names.count), !names.contains(where: { $0.hasPrefix("@") }) else { return nil }
            self = .copy(names, folding)
            return
        }
        let names = Self.names(text)
        switch (names.count, names.firstIndex { $0.hasPrefix("@") }) {
        case (1...2, nil): self = .copy(names, nil)
        case (2, 1) where names[1] == "@count": self = .count(names[0])
        case (3, 1) where names[1] == "@sum": self = .sum(relationship: names[0], attribute: names[2])
        case (3, 2) where names[2] == "@sum": self = .sum(relationship: names[0], attribute: names[1])
        default: return nil
        }
    }

    /// The parts of a path; none if one of them cannot be a name.
    private static func names(_ path: String) -> [String] {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPath = names.allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
        }
        return isPath ? names : []
    }
}

extension ResolvedProperty {
    /// The source of a derived attribute's value; nil for an ordinary property.
    package var derivation: Derivation? { attribute?.derivation.flatMap(Derivation.init) }
}

extension ResolvedEntity {
    /// The error for setting a derived attribute.
    func derivedError(_ property: ResolvedProperty, _ id: ObjectID?) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "\(name).\(property.name) is derived from \(property.attribute?.derivation ?? "others") and cannot "
                + "be set; change its source", objectID: id, key: property.name)
    }
}
