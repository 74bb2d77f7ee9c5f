// SPDX-License-Identifier: Apache-2.0
/// The version of the package and of its commands.
package let packageVersion = "0.1.0"
