import SwiftSyntax

extension TypeSyntax {
    /// The last name of a path: `String` of `Swift.String`.
    var lastName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return self.as(MemberTypeSyntax.self)?.name.text
    }

    /// The types in angle brackets after the last name.
    var genericArguments: [TypeSyntax] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { if case .type(let type) = $0.argument { type } else { nil } } ?? []
    }

    /// Whether the source writes it as an optional: `T?` or `Optional<T>`.
    var isOptional: Bool {
        self.is(OptionalTypeSyntax.self) || lastName == "Optional" && genericArguments.count == 1
    }

    /// The type wrapped by an optional; any other type unchanged.
    var unwrapped: TypeSyntax {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.withoutParentheses }
        if isOptional, let wrapped = genericArguments.first { return wrapped }
        return withoutParentheses
    }

    private var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let element = tuple.elements.first,
            element.firstName == nil
        else { return self }
        return element.type
    }
}
