import Backstitch
import Foundation

extension ManagedObjectModel {
    /// Packages with their maintainers, sections and dependencies.
    static let packages = ManagedObjectModel([
        EntityDescription(
            "Package", class: Package.self,
            [
                .attribute("name", .string, default: ""), .attribute("version", .string, default: ""),
                .attribute("architecture", .string, default: ""), .attribute("summary", .string, default: ""),
                .attribute("installedSize", .integer64, default: 0),
                .attribute("isEssential", .boolean, default: false), .attribute("homepage", .uri),
                .attribute("copyright", .binary, external: true),
                .toOne("maintainer", "Maintainer", inverse: "packages"),
                .toOne("section", "Section", inverse: "packages"),
                .toMany("dependencies", "Package", inverse: "dependents"),
                .toMany("dependents", "Package", inverse: "dependencies"),
            ]),
        EntityDescription(
            "Maintainer", class: Maintainer.self,
            [.attribute("name", .string, default: ""), .toMany("packages", "Package", inverse: "maintainer")]),
        EntityDescription(
            "Section", class: Section.self,
            [.attribute("name", .string, default: ""), .toMany("packages", "Package", inverse: "section")]),
    ])
}
