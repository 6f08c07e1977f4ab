import Foundation

/// The paragraphs of a Debian control file: fields by name, continuation lines joined by newlines (deb822(5)).
struct ControlFile {
    /// The paragraphs, in the file's order, as fields by name.
    let paragraphs: [[String: String]]

    init(contentsOf url: URL) throws {
        // Lossy on purpose: a stray byte in a description must not stop the import.
        self.init(text: String(decoding: try Data(contentsOf: url), as: UTF8.self))
    }

    init(text: String) {
        var paragraphs: [[String: String]] = []
        var current: [String: String] = [:]
        var field: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) {
                if !current.isEmpty { paragraphs.append(current) }
                current = [:]
                field = nil
            } else if line.first == " " || line.first == "\t" {
                if let field { current[field, default: ""] += "\n" + line.dropFirst() }
            } else if let colon = line.firstIndex(of: ":") {
                let name = String(line[..<colon])
                current[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                field = name
            }
        }
        if !current.isEmpty { paragraphs.append(current) }
        self.paragraphs = paragraphs
    }
}

/// Returns the names in a field of dependencies: libc6, a and b for `libc6 (>= 2.3), a | b` (deb-control(5)).
func dependencyNames(_ field: String) -> [String] {
    field.split(whereSeparator: { $0 == "," || $0 == "|" }).compactMap { alternative in
        let name = alternative.trimmingCharacters(in: .whitespacesAndNewlines)
            .prefix { !$0.isWhitespace && $0 != "(" && $0 != ":" && $0 != "[" }
        return name.isEmpty ? nil : String(name)
    }
}
