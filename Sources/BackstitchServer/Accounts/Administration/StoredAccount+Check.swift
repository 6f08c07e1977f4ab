import BackstitchSupport
import CloudWire
import Foundation

extension StoredAccount {
    /// Checks the parts of the name, and the alias and the address if they have changed.
    ///
    /// - Throws: ``IdentityError`` for a malformed value, and for an alias or an address of another account.
    func check(against before: StoredAccount?, _ writing: ZoneTransaction) throws {
        for part in components.parts {
            try IdentityRules.checkNamePart(part)
        }
        if let alias, alias != before?.alias {
            try IdentityRules.checkAlias(alias)
            if let other = try writing.account(named: alias), other.name != name {
                throw IdentityError(.exists, "'\(alias)' is the name or the alias of the account \(other.name)")
            }
        }
        if let emailAddress, emailAddress != before?.emailAddress {
            try IdentityRules.checkAddress(emailAddress)
            if let other = try writing.account(addressed: emailAddress), other.name != name {
                throw IdentityError(.exists, "\(emailAddress) is the address of the account \(other.name)")
            }
        }
    }
}
